#include "html/view_page.hpp"

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "html/embedded.hpp"
#include "html/text_in_html.hpp"
#include "io/compress.hpp"
#include "memviz/error.hpp"
#include "page/still_picture.hpp"
#include "web/embedded.hpp"

#include <fmt/format.h>
#include <functional>

namespace memviz {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string script_hash(std::string_view script) {
  const auto digest = sha256(script);
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

/// Allows nothing from elsewhere, and of scripts only the page's own and those of the pictures, the page's worker, and
/// the engine.
std::string policy() {
  std::string scripts = script_hash(view::kPageScript);
  for (const std::string_view script : {render::kFlameScript, render::kPageScript, render::kSegmentsScript,
                                        render::kStateScript, render::kTimelineScript})
    scripts += ' ' + script_hash(script);
  return "default-src 'none'; script-src 'wasm-unsafe-eval' " + scripts +
         "; worker-src blob:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string title_of(std::span<const PageSnapshot> snapshots) {
  if (snapshots.empty()) return "memviz view";
  std::string title = "memviz view: " + escaped(snapshots.front().name);
  if (snapshots.size() > 1) title += fmt::format(" and {} more", snapshots.size() - 1);
  return title;
}

constexpr std::string_view kDropHere =
    "<div id=\"drop\"><h1>Drop a snapshot on this page</h1>\n"
    "<p>Files that <code>torch.cuda.memory._dump_snapshot()</code> wrote: .pickle, .json, .gz or .zst, one or several; "
    "or a folder or archive with the ranks of a job. Everything stays in this browser: nothing is sent anywhere, and "
    "the page's own policy forbids it.</p>\n"
    "<p><button id=\"try\" type=\"button\">Try a sample</button> a server that ran out of memory</p></div>\n";

/// Returns a picture as the source of an image: shorter than in base64.
std::string image_source(std::string_view svg) {
  std::string source = "data:image/svg+xml,";
  for (const char c : render::still_picture(svg)) {
    if (c >= ' ' && c <= '~' && std::string_view("%#&'").find(c) == std::string_view::npos)
      source += c;
    else
      source += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return source;
}

std::string cover_html(const PageCover& cover) {
  std::string html;
  if (cover.headline.empty())
    html += kDropHere;
  else
    html += "<h1>" + escaped(cover.headline) + "</h1>\n<p>" + escaped(cover.answer) + "</p>\n";
  for (const std::string& picture : cover.pictures)
    html += "<img alt=\"" + escaped(cover.headline) + "\" src='" + image_source(picture) + "'>\n";
  return html + "<noscript><p>Without JavaScript this page shows only the part above.</p></noscript>\n";
}

std::string snapshot_html(const PageSnapshot& snapshot, bool is_of_job) {
  return "<script type=\"application/octet-stream\" class=\"snapshot\" data-name=\"" + escaped(snapshot.name) +
         (is_of_job ? "\" data-job=\"\">" : "\">") + text_in_html(gzipped(snapshot.bytes)) + "</script>\n";
}

std::string sample_html() {
  return "<script type=\"application/octet-stream\" id=\"sample\">" + text_in_html(view::kSample) + "</script>\n";
}

/// Writes `html`, replacing each "{{name}}".
std::string filled(std::string_view html, const std::function<std::string(std::string_view)>& part_of) {
  std::string out;
  while (true) {
    const std::size_t begin = html.find("{{");
    if (begin == std::string_view::npos) return out.append(html);
    const std::size_t end = html.find("}}", begin);
    out.append(html.substr(0, begin)).append(part_of(html.substr(begin + 2, end - begin - 2)));
    html.remove_prefix(end + 2);
  }
}

} // namespace

bool has_page_engine() {
  return !view::kEngine.empty();
}

std::string view_page(std::span<const PageSnapshot> snapshots, const PageCover& cover) {
  if (!has_page_engine())
    throw Error("this memviz was built without the engine of the page: `./run page` in its source builds both; the "
                "package memviz-torch for pip has it");
  return filled(view::kPageHtml, [&](std::string_view name) -> std::string {
    if (name == "policy") return policy();
    if (name == "title") return title_of(snapshots);
    if (name == "style") return std::string(view::kPageStyle);
    if (name == "cover") return cover_html(cover);
    if (name == "engine") return text_in_html(view::kEngine);
    if (name == "unpacker") return text_in_html(view::kUnpacker);
    if (name == "worker") return std::string(view::kWorkerScript);
    if (name == "script") return std::string(view::kPageScript);
    if (snapshots.empty()) return sample_html();
    std::string all;
    for (const PageSnapshot& snapshot : snapshots)
      all += snapshot_html(snapshot, cover.is_of_job);
    return all;
  });
}

} // namespace memviz
