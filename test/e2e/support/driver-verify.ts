/** `millwright driver verify`, as a person runs it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { customResource } from '../../../kube/client/paths.ts';
import type { Report } from '../../../cli/driver/conformance/report.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

export interface Verification {
  exitCode: number;
  report: Report;
}

/** On the driver that serves the scenario's own queue. */
export async function verifyDriver(
  { namespace }: Scenario,
  provider: string,
  more: readonly string[] = [],
): Promise<Verification> {
  const { layout, temporalAddress } = testStack();
  const words = ['driver', 'verify', '--provider', provider, '-n', namespace, '-o', 'json'];
  const where = [`--kubeconfig=${layout.kubeconfig}`];
  const argv = [join(repository, 'cli/millwright.ts'), ...words, ...where, ...more];
  const env = { ...process.env, NODE_OPTIONS: '', TEMPORAL_ADDRESS: temporalAddress };
  const ended = await run(argv, env);
  return { exitCode: ended.exitCode, report: reportIn(ended) };
}

interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, argv, { env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

function reportIn({ stdout, stderr }: Ended): Report {
  try {
    return JSON.parse(stdout);
  } catch (error) {
    throw new Error(`no report: ${stderr}${stdout}`, { cause: error });
  }
}

/** Said of everything that is not well, so that a failed test tells why. */
export function complaintsIn({ findings }: Report): string[] {
  return findings
    .filter(({ result }) => result === 'failed')
    .map(({ check, expected, came }) => `${check}: expected ${expected}, came ${came}`);
}

export function skippedIn({ findings }: Report): string[] {
  return findings.filter(({ result }) => result === 'skipped').map(({ check }) => check);
}

/** The command takes its temporary classes away. */
export async function expectOnlyClasses(
  { cluster, namespace }: Scenario,
  names: readonly string[],
): Promise<void> {
  await eventually('only the classes of the scenario are left', async () => {
    const classes = await cluster.list<{ metadata: { name: string } }>(
      customResource('machineclasses', namespace),
    );
    const found = classes.map(({ metadata }) => metadata.name).toSorted();
    if (found.join() !== [...names].toSorted().join()) throw new Error(found.join());
  });
}
