#include "cupti_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdexcept>

namespace memviz::inject {
namespace {

constexpr int kCuda13 = 13000;

/// Collects the folders of the CUDA libraries of the process.
int add_folder(dl_phdr_info* module, std::size_t, void* folders) {
  const std::filesystem::path path = module->dlpi_name == nullptr ? "" : module->dlpi_name;
  const std::string name = path.filename().string();
  if (name.starts_with("libcudart.so") || name.starts_with("libcublas.so")) {
    static_cast<std::vector<std::filesystem::path>*>(folders)->push_back(path.parent_path());
  }
  return 0;
}

void* open_first(const std::vector<std::string>& names, const std::filesystem::path& folder, int flags) {
  for (const std::string& name : names) {
    if (void* library = dlopen((folder / name).c_str(), flags)) return library;
  }
  return nullptr;
}

} // namespace

std::vector<std::string> cupti_names(int driver_version) {
  if (driver_version != 0 && driver_version < kCuda13) return {"libcupti.so.12"};
  return {"libcupti.so.13", "libcupti.so.12"};
}

std::vector<std::filesystem::path> cupti_folders() {
  std::vector<std::filesystem::path> loaded;
  dl_iterate_phdr(add_folder, &loaded);
  std::vector<std::filesystem::path> folders = loaded;
  for (const auto& folder : loaded)
    folders.push_back(folder.parent_path().parent_path() / "cuda_cupti" / "lib"); // pip's nvidia-cuda-cupti
  for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"}) {
    folders.push_back(std::filesystem::path(toolkit) / "extras" / "CUPTI" / "lib64");
    folders.push_back(std::filesystem::path(toolkit) / "lib64");
  }
  return folders;
}

void* open_cupti(const CuptiSearch& search) {
  if (!search.named.empty()) {
    if (void* library = dlopen(search.named.c_str(), RTLD_NOW)) return library;
    const char* reason = dlerror();
    throw std::runtime_error("MEMVIZ_CUPTI: " + std::string(reason == nullptr ? search.named.c_str() : reason));
  }
  if (void* library = open_first(search.names, "", RTLD_NOW | RTLD_NOLOAD)) return library;
  if (void* library = open_first(search.names, "", RTLD_NOW)) return library;
  for (const std::filesystem::path& folder : search.folders) {
    if (void* library = open_first(search.names, folder, RTLD_NOW)) return library;
  }
  std::string missing;
  for (const std::string& name : search.names)
    missing += (missing.empty() ? "" : " nor ") + name;
  throw std::runtime_error("CUPTI is missing: " + std::string(search.names.size() > 1 ? "neither " : "no ") + missing +
                           " was found; it is in the CUDA toolkit's extras/CUPTI/lib64, and MEMVIZ_CUPTI or "
                           "LD_LIBRARY_PATH may say where");
}

} // namespace memviz::inject
