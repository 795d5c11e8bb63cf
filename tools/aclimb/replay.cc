// aclimb replay: runs a recorded call again, or writes it as a program.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "aclimb/core/product.h"
#include "aclimb/core/text.h"
#include "aclimb/truth/all_operators.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/obeys.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/replay/device_call.h"
#include "tools/aclimb/replay/emit.h"
#include "tools/aclimb/replay/recording.h"
#include "tools/aclimb/toolkit.h"
#include "tools/record/npy.h"

namespace aclimb::cli {
namespace {

struct Options {
  std::string folder;
  std::string program;
  std::string truth;
  bool force = false;
  bool no_truth = false;
};

std::string CodeText(const std::optional<int>& code) {
  return code ? std::to_string(*code) : "none";
}

// One line; whether the two are the same.
bool PrintCode(const char* name, const std::optional<int>& now, const std::optional<int>& then) {
  const bool same = now == then;
  Print(fmt::format("  {:<12}{}{}\n", name, CodeText(now),
                    same ? ", as recorded" : fmt::format(", but {} was recorded", CodeText(then))));
  return same;
}

bool PrintCodes(const CallOutcome& now, const Recording& then) {
  bool same = PrintCode("phase 1", now.phase1, then.phase1);
  if (now.phase1 == 0 && !then.HasRun()) {
    Print(
        fmt::format("  {:<12}not called; {} was recorded, for what is not in a recording: "
                    "executor, workspace, memory or stream\n",
                    "phase 2", CodeText(then.phase2)));
  }
  // A call that died, or was still under way, has nothing to compare.
  if (now.phase2 && then.phase2) same = PrintCode("phase 2", now.phase2, then.phase2) && same;
  if (now.run && then.run_code) same = PrintCode("run", now.run, then.run_code) && same;
  if (now.run && !then.run_code) {
    Print(fmt::format("  {:<12}{}; when recorded: {}\n", "run", *now.run, then.run));
    same = same && *now.run == 0;
  }
  if (!now.message.empty()) Print(now.message + "\n");
  return same;
}

// Elements of the two whose bytes differ.
size_t BitsThatDiffer(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b,
                      const RecordedArgument& tensor) {
  size_t count = 0;
  const size_t size = tensor.ElementBytes();
  for (int64_t place : truth::PlacesOf(tensor.shape, tensor.strides)) {
    const size_t at = static_cast<size_t>(place) * size;
    if (std::memcmp(a.data() + at, b.data() + at, size) != 0) ++count;
  }
  return count;
}

std::string ErrorText(const truth::Difference& difference, const std::vector<int64_t>& shape) {
  if (difference.absolute == 0) return "no error";
  return fmt::format("largest absolute error {:.3g} at {}, relative {:.3g} at {}",
                     difference.absolute, truth::IndexText(shape, difference.absolute_at),
                     difference.relative, truth::IndexText(shape, difference.relative_at));
}

std::string VerdictText(const truth::Difference& difference, const std::vector<double>& got,
                        const truth::Expected& truth, const std::vector<int64_t>& shape) {
  if (difference.beyond == 0) return "within the tolerance";
  const size_t first = difference.first_beyond;
  return fmt::format(
      "{} of {} beyond the tolerance, first {}: {:.9g}, expected {:.9g} within {:.3g}",
      difference.beyond, difference.count, truth::IndexText(shape, first), got[first],
      truth.values[first], truth.allowed[first]);
}

enum class Verdict { kAgrees, kDiffers, kNothingToCompare };

// The lines of one output; whether it agrees with the recording and with the truth.
Verdict PrintOutput(const RecordedArgument& tensor, const std::vector<unsigned char>& bytes,
                    const truth::Expected* truth) {
  Print(fmt::format("  {}: {} {}\n", tensor.name, NameOf(tensor.dtype),
                    ShapeText(tensor.shape.data(), tensor.shape.size())));
  const std::vector<double> got = tensor.ValuesOf(bytes);
  bool agrees = true;
  if (tensor.result) {
    const std::vector<double> recorded = tensor.ValuesOf(*tensor.result);
    const size_t bits = BitsThatDiffer(bytes, *tensor.result, tensor);
    std::string text = "equal, bit for bit";
    if (bits > 0) {
      const truth::Difference difference = truth::DifferenceOf(got, recorded, {});
      text =
          fmt::format("{} of {} elements differ, by at most {:.3g} at {}", bits, got.size(),
                      difference.absolute, truth::IndexText(tensor.shape, difference.absolute_at));
      // The formula gives no imaginary parts.
      agrees = truth != nullptr && !IsComplex(tensor.dtype);
      if (truth != nullptr) {
        const truth::Difference error =
            truth::DifferenceOf(recorded, truth->values, truth->allowed);
        agrees = agrees && error.beyond == 0;
        if (error.beyond > 0) {
          text += "; recorded: " + VerdictText(error, recorded, *truth, tensor.shape);
        }
      }
    }
    Print(fmt::format("    recording  {}\n", text));
  } else {
    Print(fmt::format("    recording  left out: {}\n", tensor.left_out));
  }
  if (truth != nullptr) {
    const truth::Difference error = truth::DifferenceOf(got, truth->values, truth->allowed);
    agrees = agrees && error.beyond == 0;
    Print(fmt::format("    truth      {}; {}\n", ErrorText(error, tensor.shape),
                      VerdictText(error, got, *truth, tensor.shape)));
  }
  if (!tensor.result && truth == nullptr) return Verdict::kNothingToCompare;
  return agrees ? Verdict::kAgrees : Verdict::kDiffers;
}

int Replay(const Options& options) {
  const Recording recording = ReadRecording(options.folder);
  const CallOutcome outcome = RunCall(recording, ToolkitRoot());
  Print(fmt::format("{}, call {} of the recording\n", Bold(recording.contract->function),
                    recording.number));
  bool agrees = PrintCodes(outcome, recording);
  truth::Outputs expected;
  if (!options.no_truth && !outcome.outputs.empty()) {
    OperatorOf(*recording.contract).truth(recording.ToCall(), expected);
    if (const char* const why = expected.refusal()) {
      Print(fmt::format("    truth      none, since {}\n", why));
    }
  }
  const RecordedArgument* unknown = nullptr;  // an output that nothing can be said of
  for (const auto& [slot, bytes] : outcome.outputs) {
    const RecordedArgument& tensor = recording.At(slot);
    std::optional<truth::Expected> truth;
    if (const truth::Expected* found = expected.Find(slot)) {
      truth = truth::InDType(*found, tensor.dtype);
    }
    const Verdict verdict = PrintOutput(tensor, bytes, truth ? &*truth : nullptr);
    if (verdict == Verdict::kDiffers) agrees = false;
    if (verdict == Verdict::kNothingToCompare) unknown = &tensor;
  }
  if (agrees && unknown != nullptr && expected.refusal() == nullptr) {
    throw std::runtime_error(
        fmt::format("{} can be compared with nothing: its recording was left out ({}), and so was "
                    "the formula. Leave --no-truth out, or record the call again, with a larger "
                    "ACLIMB_RECORD_LIMIT if need be.",
                    unknown->name, unknown->left_out));
  }
  Print(agrees ? "agrees\n" : Alarm("differs") + "\n");
  return agrees ? kDone : kFailed;
}

int EmitProgram(const Options& options) {
  WriteNewFile("--emit-cpp", options.program, options.force,
               ProgramOf(ReadRecording(options.folder), options.folder));
  return kDone;
}

// One that exists may be used; those that it is in have to be there.
void MakeFolder(std::string_view option, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (!error) return;
  throw std::runtime_error(
      fmt::format("{} is \"{}\"; expected a folder, or the name of one that can be made ({}).",
                  option, path, error.message()));
}

// The formula's outputs, each as a .npy file of one dimension, not rounded to the output's dtype.
int WriteTruth(const Options& options) {
  const Recording recording = ReadRecording(options.folder);
  const truth::Call call = recording.ToCall();
  const std::optional<Product> product = ProductOfSoc(recording.soc);
  if (!product || !truth::Obeys(call, *product, recording.extensions)) {
    throw std::runtime_error(
        fmt::format("{}: {} refuses the call, so that there is nothing it should give",
                    options.folder, recording.contract->function));
  }
  MakeFolder("--truth", options.truth);
  truth::Outputs expected;
  OperatorOf(*recording.contract).truth(call, expected);
  if (const char* const why = expected.refusal()) {
    throw std::runtime_error(
        fmt::format("{}: there are no results, since {}", options.folder, why));
  }
  for (const auto& [slot, output] : expected.All()) {
    std::string file = tools::NpyHeader(DType::kFloat64, output.values.size());
    file.append(reinterpret_cast<const char*>(output.values.data()),
                output.values.size() * sizeof(double));
    WriteNewFile("--truth", fmt::format("{}/{}.npy", options.truth, call.NameOf(slot)),
                 options.force, file);
  }
  return kDone;
}

int Run(const Options& options) {
  try {
    if (options.force && options.program.empty() && options.truth.empty()) {
      throw std::runtime_error("--force goes with --emit-cpp or --truth");
    }
    if (!options.truth.empty()) return WriteTruth(options);
    return options.program.empty() ? Replay(options) : EmitProgram(options);
  } catch (const std::exception& error) {
    // 1 would say that the call gives something else.
    std::fprintf(stderr, "aclimb replay: %s\n", error.what());
    return kWrongUse;
  }
}

}  // namespace

Command AddReplay(CLI::App& tool) {
  CLI::App* app =
      AddSubcommand(tool, "replay", "[--no-truth] [--emit-cpp FILE|--truth DIR [--force]] CALL",
                    "Run a recorded call again, or write it as a program");
  app->footer(
      "CALL is a folder that `aclimb run --record DIR` made, as DIR/000001-aclnnEluBackward. The\n"
      "results are held against the recorded ones and against the operator's formula in double.\n"
      "Exit status: 0 all agree, 1 something differs, 2 the recording cannot be read or run, or\n"
      "has nothing to compare an output with.\n\n"
      "Examples:\n"
      "  aclimb run --record calls ./train && aclimb replay calls/000001-aclnnEluBackward\n"
      "  aclimb replay calls/000001-aclnnEluBackward --emit-cpp call.cpp");
  auto options = std::make_shared<Options>();
  app->add_option("CALL", options->folder, "folder of the recorded call")->required();
  CLI::Option* emit = app->add_option("--emit-cpp", options->program,
                                      "write the call as a C++ program instead of running it")
                          ->type_name("FILE");
  app->add_option("--truth", options->truth,
                  "write what the formula gives, in double, as DIR/NAME.npy for each output")
      ->type_name("DIR")
      ->excludes(emit);
  app->add_flag("--force", options->force, "replace files that exist");
  app->add_flag("--no-truth", options->no_truth,
                "compare with the recorded results alone, which have to be the same bits");
  return {app, [options](const std::vector<std::string>&) { return Run(*options); }};
}

}  // namespace aclimb::cli
