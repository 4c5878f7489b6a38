/** `npm test`: checks, unit tests, and the e2e tests on a stack of their own. */
import { parseArgs } from 'node:util';
import { chaos } from './run/chaos.ts';
import { endToEnd } from './run/end-to-end.ts';
import { jest } from './run/jest.ts';
import { nodeProgram } from './run/program.ts';
import { Report } from './run/report.ts';

const parts = ['check', 'unit', 'e2e', 'chaos'] as const;
type Part = (typeof parts)[number];

const usage = `Usage: npm test -- [options]

Runs everything: format, lint and types, then the unit tests, then the end-to-end tests on a local stack of their own
in .millwright/test, then a short run of chaos on one in .millwright/test-chaos. Both stacks are stopped afterwards whatever happened.

  --only PART       check, unit, e2e or chaos
  --pattern TEXT    only test files whose path matches this regular expression; leaves out checks and chaos
  --help            show this

Examples:
  npm test
  npm test -- --only unit
  npm test -- --only e2e --pattern drain`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    pattern: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await run(partsWanted(values.only), values.pattern);

function partsWanted(only: string | undefined): readonly Part[] {
  if (only === undefined) return values.pattern === undefined ? parts : ['unit', 'e2e'];
  const part = parts.find((name) => name === only);
  if (part !== undefined) return [part];
  console.error(`--only: "${only}" is not one of ${parts.join(', ')}`);
  process.exit(2);
}

async function run(wanted: readonly Part[], pattern: string | undefined): Promise<number> {
  const report = new Report();
  if (wanted.includes('check')) {
    await report.step('format', () => nodeProgram('prettier/bin/prettier.cjs', ['--check', '.']));
    await report.step('lint', () =>
      nodeProgram('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
    );
    await report.step('types', () => nodeProgram('typescript/bin/tsc', []));
  }
  if (wanted.includes('unit')) {
    await report.step('unit tests', () => jest({ project: 'unit', pattern }));
  }
  if (wanted.includes('e2e')) await endToEnd(report, pattern);
  if (wanted.includes('chaos')) await report.step('chaos', chaos);
  return report.finish();
}
