# The formula for Homebrew. `./run release` fills in version and checksum: dist/memviz-homebrew.rb.
class Memviz < Formula
  desc "Who holds the GPU memory: reads PyTorch memory snapshots, draws them as SVG"
  homepage "https://pypi.org/project/memviz-torch/"
  url "https://files.pythonhosted.org/packages/source/m/memviz-torch/memviz_torch-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "BSD-3-Clause"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "boost"
  depends_on "bzip2"
  depends_on "fmt"
  depends_on "libzip"
  depends_on :linux
  depends_on "pugixml"
  depends_on "re2"
  depends_on "sqlite"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", *std_cmake_args,
           "-DMEMVIZ_BUILD_TESTS=OFF", "-DMEMVIZ_WERROR=OFF", "-DMEMVIZ_CAPTURE=OFF",
           "-DMEMVIZ_ENGINE=#{buildpath}/build-page/engine.wasm.zst"
    system "cmake", "--build", "build", "--target", "memviz_program"
    system "cmake", "--install", "build", "--component", "program"
  end

  test do
    (testpath/"error.txt").write "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."
    assert_match "20.0 MiB", shell_output("#{bin}/memviz explain error.txt")
  end
end
