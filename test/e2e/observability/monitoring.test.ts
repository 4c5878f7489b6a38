/**
 * A stack with `--monitoring`: the real Prometheus takes the rules, and answers each query of the
 * dashboards about machines that live and go. `monitoring-troubles` waits for data and alerts, by
 * night.
 */
import { isAlive } from '../../../deploy/local/supervision/identity.ts';
import { boards } from '../../../deploy/monitoring/boards/all.ts';
import { queriesOf } from '../../../deploy/monitoring/panel.ts';
import { readRules } from '../../../deploy/monitoring/rules.ts';
import { eventually } from '../../support/eventually.ts';
import { creation, plain, useMonitoredStack } from '../support/monitored-stack.ts';

const monitored = useMonitoredStack();

test('Prometheus scrapes watcher, worker and Temporal', async () => {
  await eventually('all targets answer', async () => {
    expect(await monitored.prometheus.targets()).toEqual({
      'millwright watcher': 'up',
      'millwright worker': 'up',
      'temporal ': 'up',
    });
  });
});

test('Prometheus evaluates each rule, and nothing fires', async () => {
  const expected = readRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  await eventually('each rule was evaluated', async () => {
    const rules = await monitored.prometheus.rules();
    expect(rules.map(({ name }) => name)).toEqual(expected);
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
  });
});

describe.each(boards)('the dashboard $name', ({ rows }) => {
  test.each(rows.flatMap(({ panels }) => panels))('answers $title', async (panel) => {
    for (const { expr } of queriesOf(panel)) {
      const { warnings, infos } = await monitored.prometheus.ask(plain(expr), panel.kind);
      expect([...warnings, ...infos]).toEqual([]);
    }
  });
});

test('a machine whose class does not exist is seen', async () => {
  const alert = creation('missing');
  await monitored.begin({ machine: 'nowhere', spec: { class: { name: 'nowhere' } }, alert });
  expect(await monitored.untilPending(alert)).toContainEqual(expect.objectContaining(alert));
});

test('Prometheus ends with the stack', async () => {
  const process = monitored.stack.components['prometheus'];
  await monitored.stop();
  expect(process && isAlive(process)).toBe(false);
});
