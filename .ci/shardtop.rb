# .ci/shardtop.rb - Homebrew formula. Whoever publishes it fills in where the source archive of `make dist` lies, and the
# sum that `make dist` prints for it.
class Shardtop < Formula
  desc "Memory, time and cost of training and serving large language models"
  url "URL_OF_THE_ARCHIVE/shardtop-1.0.0.tar.gz"
  sha256 "SUM_OF_THE_ARCHIVE"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "cjson"
  depends_on "libcyaml"
  depends_on "libyaml"
  depends_on "ncurses"

  def install
    system "make", "install", "prefix=#{prefix}"
  end

  test do
    assert_match "fits", shell_output("#{bin}/shardtop show --check --model gpt2-xl --gpu h100-sxm-80 --gpus 1")
  end
end
