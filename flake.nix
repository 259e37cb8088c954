# For Nix: `nix run github:mcp-editord/mcp-editord -- version`. It builds the program from source,
# without the extension for VS Code, which takes npm.
{
  description = "Run MCP servers once, for all your editors";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      # Nixpkgs gives up old systems before we do.
      each = f: lib.genAttrs (lib.intersectLists systems lib.systems.flakeExposed)
        (system: f nixpkgs.legacyPackages.${system});
      version = self.shortRev or self.dirtyShortRev or "unknown";
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "mcp-editord";
          inherit version;
          src = self;
          # scripts/vendor-hash.mjs writes it.
          vendorHash = "sha256-6z1tI9p2rC1pwtnpVOvvCX/09F6oBwrvMMll9QaSLPU=";
          subPackages = [ "cmd/mcp-editord" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X main.version=${version}" ];
          doCheck = false; # `make test` needs real servers and editors

          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            bash scripts/man.sh man ${version}
            installManPage man/*
            installShellCompletion --cmd mcp-editord \
              --bash <($out/bin/mcp-editord completion bash) \
              --fish <($out/bin/mcp-editord completion fish) \
              --zsh <($out/bin/mcp-editord completion zsh)
          '';

          meta = {
            description = "Run MCP servers once, for all your editors";
            homepage = "https://github.com/mcp-editord/mcp-editord";
            license = lib.licenses.asl20;
            mainProgram = "mcp-editord";
            platforms = lib.platforms.unix;
          };
        };
      });
    };
}
