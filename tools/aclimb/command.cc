#include "tools/aclimb/command.h"

#include <memory>

namespace aclimb::cli {
namespace {

// CLI11's own first line knows neither the programs that we run nor their words.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }

 private:
  std::string usage_;
};

}  // namespace

CLI::App* AddSubcommand(CLI::App& tool, const std::string& name, const std::string& usage,
                        const std::string& description) {
  CLI::App* app = tool.add_subcommand(name, description);
  app->formatter(std::make_shared<UsageFormatter>("aclimb " + name + " " + usage));
  return app;
}

}  // namespace aclimb::cli
