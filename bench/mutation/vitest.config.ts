import { matchesGlob, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const tests = (process.env.MUTATION_TESTS ?? "").split(" ");

/** Sequencer in the listed order: the likeliest test file first, because one failure is enough. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) =>
      tests.findIndex((glob) => matchesGlob(relative(project.config.root, moduleId), glob));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: { include: tests, testTimeout: 60_000, sequence: { sequencer: AsListed } },
});
