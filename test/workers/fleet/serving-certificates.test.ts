import { Registry } from 'prom-client';
import { createServingApproval } from '../../../workers/fleet/serving-certificates.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import type { Config } from '../../../workers/config/config.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { logLines } from '../log/log-lines.ts';

function configOf(...argv: string[]): Config {
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  return command.config;
}

test.each([
  [[], false],
  [['--approve-kubelet-serving'], true],
  [['--approve-kubelet-serving', '--serve=drain,driver'], false],
])('with %j requests for serving certificates are approved: %s', (argv, isApproving) => {
  const registry = new Registry();
  const target = new InMemoryClient();
  const config = configOf(...argv);
  const approval = createServingApproval({ config, log: logLines().log, registry, target });
  expect(approval !== undefined).toBe(isApproving);
  expect(approval?.shared !== undefined).toBe(isApproving);
  expect(registry.getMetricsAsArray()).toHaveLength(Number(isApproving));
  expect(target.calls).toEqual([]);
});
