import type { TestCounts } from './jest.ts';

export interface ReportOptions {
  /** A test that failed once and passed when it ran again fails the run. Default false. */
  isStrict?: boolean;
}

/** Says how each step went, and at the end how all of them did. */
export class Report {
  readonly #failedSteps: { name: string; problem: string }[] = [];
  #steps = 0;
  #passed = 0;
  #failed = 0;
  #pending = 0;
  readonly #unsteady: string[] = [];
  readonly #isStrict: boolean;

  constructor({ isStrict = false }: ReportOptions = {}) {
    this.#isStrict = isStrict;
  }

  /**
   * Runs a step. A failure is told, not thrown: the next step may have news of its own. Returns
   * whether it went well.
   */
  async step(name: string, run: () => Promise<TestCounts | void>): Promise<boolean> {
    this.#steps += 1;
    const startedAt = performance.now();
    console.log(`\n=== ${name}`);
    const problem = await this.#problemOf(run);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const [outcome = 'ok', ...details] = problem?.split('\n') ?? [];
    console.log([`=== ${name}: ${outcome} (${seconds} s)`, ...details].join('\n'));
    if (problem !== undefined) this.#failedSteps.push({ name, problem });
    return problem === undefined;
  }

  /**
   * Prints the last line, and above it once more what took several: it was told far above, or in
   * the middle of the output of a step beside it. Returns the exit code.
   */
  finish(): number {
    const steps = this.#failedSteps;
    for (const { name, problem } of steps) {
      if (this.#steps > 1 && problem.includes('\n')) console.log(`\n=== ${name}\n${problem}`);
    }
    this.#tellUnsteady();
    const names = steps.map(({ name }) => name).join(', ');
    const ending = steps.length === 0 ? '' : `; failed: ${names}`;
    const counts = [
      `${this.#passed} passed`,
      `${this.#failed} failed`,
      ...(this.#pending > 0 ? [`${this.#pending} skipped`] : []),
    ];
    console.log(`\n${counts.join(', ')}${ending}`);
    return steps.length === 0 ? 0 : 1;
  }

  /** They hide a defect, of a test or of the product. */
  #tellUnsteady(): void {
    if (this.#unsteady.length === 0) return;
    const when = new Date().toISOString();
    console.log(`\nUnsteady, failed once and passed when repeated (${when}):`);
    for (const test of this.#unsteady) console.log(`  ${test}`);
  }

  async #problemOf(run: () => Promise<TestCounts | void>): Promise<string | undefined> {
    try {
      const counts = await run();
      if (!counts) return undefined;
      this.#passed += counts.passed;
      this.#failed += counts.failed;
      this.#pending += counts.pending;
      this.#unsteady.push(...counts.unsteady);
      const unsteady = this.#isStrict ? counts.unsteady : [];
      if (counts.failed + unsteady.length === 0) return undefined;
      return [
        ...(counts.failed > 0 ? [`${counts.failed} failed`, ...counts.failures] : []),
        ...(unsteady.length > 0 ? [`${unsteady.length} unsteady`, ...unsteady] : []),
      ].join('\n  ');
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
