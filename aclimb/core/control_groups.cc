#include "aclimb/core/control_groups.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace aclimb {
namespace {

// Takes what stands before the separator off the text, and the separator with it.
std::string_view TakeUntil(std::string_view& text, std::string_view separator) {
  const size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return taken;
}

bool Lists(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    if (TakeUntil(list, ",") == wanted) return true;
  }
  return false;
}

// mountinfo writes a space as \040.
std::string Unescaped(std::string_view text) {
  std::string out;
  const auto digit = [&](size_t at) { return at < text.size() ? text[at] - '0' : -1; };
  const auto is_octal = [&](size_t at) { return digit(at) >= 0 && digit(at) <= 7; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      out += static_cast<char>(digit(i + 1) * 64 + digit(i + 2) * 8 + digit(i + 3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Mount {
  std::string root;  // the group that the mount point shows
  std::string point;
  int version = 0;  // 0: of no such hierarchy
};

// Fields: number, parent, device, root, mount point, options, more of them, "-", type, source,
// options of the file system, which name the controllers of version 1.
Mount ReadMount(std::string_view line, std::string_view controller) {
  std::string_view fields = TakeUntil(line, " - ");
  for (int i = 0; i < 3; ++i) TakeUntil(fields, " ");
  Mount mount;
  mount.root = Unescaped(TakeUntil(fields, " "));
  mount.point = Unescaped(TakeUntil(fields, " "));
  const std::string_view type = TakeUntil(line, " ");
  TakeUntil(line, " ");
  if (type == "cgroup2") mount.version = 2;
  if (type == "cgroup" && Lists(line, controller)) mount.version = 1;
  return mount;
}

// The path of `group` below `above`; nothing of it when it lies elsewhere, as it may in a container
// that sees its own group as a mount's root.
std::string_view Below(std::string_view above, std::string_view group) {
  if (above == "/") return group == "/" ? std::string_view() : group;
  if (!group.starts_with(above)) return {};
  group.remove_prefix(above.size());
  return group.empty() || group.front() == '/' ? group : std::string_view();
}

void AddGroups(const Mount& mount, std::string_view group, std::vector<ControlGroup>& found) {
  const std::string above = mount.root == "/" ? "" : mount.root;
  for (std::string_view path = Below(mount.root, group);; path = path.substr(0, path.rfind('/'))) {
    std::string name = above + std::string(path);
    if (name.empty()) name = "/";
    found.push_back({std::move(name), mount.point + std::string(path), mount.version});
    if (path.empty()) return;
  }
}

}  // namespace

std::vector<ControlGroup> ControlGroupsOf(std::string_view controller, std::string_view groups,
                                          std::string_view mounts) {
  // Lines are "number:controllers:path", of version 2 "0::path".
  std::string_view own[3];
  while (!groups.empty()) {
    std::string_view line = TakeUntil(groups, "\n");
    TakeUntil(line, ":");
    const std::string_view controllers = TakeUntil(line, ":");
    if (controllers.empty()) own[2] = line;
    if (Lists(controllers, controller)) own[1] = line;
  }
  std::vector<ControlGroup> found;
  while (!mounts.empty()) {
    const Mount mount = ReadMount(TakeUntil(mounts, "\n"), controller);
    const std::string_view group = own[mount.version];
    if (mount.version != 0 && !group.empty()) AddGroups(mount, group, found);
  }
  return found;
}

std::vector<ControlGroup> ControlGroupsOf(std::string_view controller, const std::string& root) {
  std::vector<ControlGroup> groups =
      ControlGroupsOf(controller, ReadSmallFile(root + "/proc/self/cgroup"),
                      ReadSmallFile(root + "/proc/self/mountinfo"));
  for (ControlGroup& group : groups) group.folder = root + group.folder;
  return groups;
}

std::string ReadSmallFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace aclimb
