# .ci/flake.nix - nix run 'path:.?dir=.ci' -- show --check --model gpt2-xl
{
  description = "Memory, time and cost of training and serving large language models";
  inputs.nixpkgs.url = "nixpkgs";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "shardtop";
          version = "1.0.0";
          src = ./..;
          nativeBuildInputs = [ pkgs.pkg-config ];
          buildInputs = [ pkgs.ncurses pkgs.libcyaml pkgs.libyaml pkgs.cjson ];
          makeFlags = [ "prefix=$(out)" ];
          enableParallelBuilding = true;
        };
      });
    };
}
