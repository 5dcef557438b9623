# The formula; the rehearsal of a release fills in what stands in braces.
class Claimkit < Formula
  desc "Checks Kubernetes DRA manifests and explains why pods wait for devices"
  homepage "{repository}"
  version "{version}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{url darwin-arm64}"
      sha256 "{sha256 darwin-arm64}"
    end
    on_intel do
      url "{url darwin-amd64}"
      sha256 "{sha256 darwin-amd64}"
    end
  end

  on_linux do
    on_arm do
      url "{url linux-arm64}"
      sha256 "{sha256 linux-arm64}"
    end
    on_intel do
      url "{url linux-amd64}"
      sha256 "{sha256 linux-amd64}"
    end
  end

  def install
    bin.install "claimkit"
    bin.install_symlink "claimkit" => "kubectl-claimkit"
    generate_completions_from_executable(bin/"claimkit", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/claimkit --version")
  end
end
