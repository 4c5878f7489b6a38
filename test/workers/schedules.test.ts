import { expect, test } from '@jest/globals';
import { readCommandLine } from '../../workers/config.ts';
import { checksOf, type CheckSettings } from '../../workers/checks.ts';
import { scheduleOf } from '../../workers/schedules.ts';
import * as workflows from '../../workflows/index.ts';

function settingsOf(...argv: string[]): CheckSettings {
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  return { ...command.config, cluster: 'uid-of-kube-system' };
}

function schedulesOf(...argv: string[]) {
  const settings = settingsOf(...argv);
  return checksOf(settings).map((check) => scheduleOf(check, settings));
}

test('each check is a workflow that exists, under the name of its namespace', () => {
  const schedules = schedulesOf('--namespace=shoot');
  expect(schedules.map(({ scheduleId }) => scheduleId)).toEqual([
    'safety/orphans/shoot',
    'safety/overshoot/shoot',
    'safety/entities/shoot',
    'safety/unmanaged-nodes/shoot',
  ]);
  for (const { action } of schedules) expect(Object.keys(workflows)).toContain(action.workflowType);
});

test('flags become the period and the input', () => {
  const [orphans, overshoot, entities, nodes] = schedulesOf(
    '--safety-up=5',
    '--safety-down=3',
    '--machine-safety-overshooting-period=90s',
    '--safety-entities-period=7m',
    '--machine-safety-orphan-vms-period=2m',
    '--safety-orphans=report',
    '--safety-orphans-max-deletions=3',
    '--safety-orphans-min-age=90s',
    '--machine-creation-timeout=5m',
    '--safety-unmanaged-nodes-selector=pool=a',
  );
  expect(orphans?.spec.intervals).toMatchObject([{ every: 120_000 }]);
  expect(orphans?.action.args).toEqual([
    {
      namespace: 'default',
      cluster: 'uid-of-kube-system',
      mode: 'report',
      maxDeletions: 3,
      minAgeSeconds: 90,
    },
  ]);
  expect(overshoot?.spec.intervals).toMatchObject([{ every: 90_000 }]);
  expect(overshoot?.action.args).toEqual([{ namespace: 'default', up: 5, down: 3 }]);
  expect(entities?.spec.intervals).toMatchObject([{ every: 420_000 }]);
  expect(nodes?.action.args).toEqual([
    { namespace: 'default', creationTimeoutSeconds: 300, selector: 'pool=a' },
  ]);
});

test('installs do not all look at once, and always at the same second', () => {
  const offsets = ['a', 'b', 'c', 'd'].map((namespace) => {
    const [first] = schedulesOf(`--namespace=${namespace}`);
    expect(first).toEqual(schedulesOf(`--namespace=${namespace}`)[0]);
    return Number(first?.spec.intervals?.[0]?.offset);
  });
  expect(new Set(offsets).size).toBeGreaterThan(1);
  for (const offset of offsets) {
    expect(offset % 1_000).toBe(0);
    expect(offset).toBeLessThan(900_000);
  }
});

test('a period of nothing is a second: Temporal knows none that is shorter', () => {
  const [orphans] = schedulesOf('--machine-safety-orphan-vms-period=0s');
  expect(orphans?.spec.intervals).toEqual([{ every: 1_000, offset: 0 }]);
});

test.each([
  { mode: 'delete', isOff: false },
  { mode: 'report', isOff: false },
  { mode: 'off', isOff: true },
])('--safety-orphans=$mode', ({ mode, isOff }) => {
  expect(checksOf(settingsOf(`--safety-orphans=${mode}`))[0]).toMatchObject({ isOff });
});
