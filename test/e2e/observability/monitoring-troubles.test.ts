/** What Prometheus has for the dashboards, and the alerts of real troubles. */
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { boards } from '../../../deploy/monitoring/boards/all.ts';
import { queriesOf, type Panel } from '../../../deploy/monitoring/panel.ts';
import { eventually } from '../../support/eventually.ts';
import { creation, plain, useMonitoredStack, type Trouble } from '../support/monitored-stack.ts';

const monitored = useMonitoredStack();

describe.each(boards)('the dashboard $name', ({ rows }) => {
  const panels = rows.flatMap((row) => row.panels);

  test.each(panels.filter(({ isOftenEmpty }) => isOftenEmpty !== true))(
    'has data for $title',
    async (panel) => {
      await eventually('there is a series', async () => {
        expect(await seriesOf(panel)).toBeGreaterThan(0);
      });
    },
  );
});

async function seriesOf(panel: Panel): Promise<number> {
  const answers = await Promise.all(
    queriesOf(panel).map(({ expr }) => monitored.prometheus.ask(plain(expr), panel.kind)),
  );
  return answers.reduce((sum, { series }) => sum + series, 0);
}

describe('a real trouble', () => {
  test.each<Trouble>([
    { machine: 'many', fault: { kind: 'quota' }, alert: creation('quota') },
    { machine: 'full', fault: { kind: 'zoneFull', zone: 'a' }, alert: creation('capacity') },
    {
      machine: 'wrong',
      fault: { kind: 'error', operation: 'create', code: 'InvalidArgument' },
      alert: creation('spec'),
    },
    {
      machine: 'refused',
      fault: { kind: 'error', operation: 'create', code: 'Unauthenticated' },
      alert: creation('credentials'),
    },
    {
      machine: 'down',
      fault: { kind: 'error', operation: 'create', code: 'Internal' },
      alert: creation('cloud'),
    },
    {
      machine: 'silent',
      fault: { kind: 'neverJoin' },
      // It is seen at half of it, and until it is over.
      spec: { creationTimeout: '90s' },
      alert: { alertname: 'MillwrightMachineDoesNotJoin' },
    },
  ])('of the machine $machine is seen', async (trouble) => {
    await monitored.begin(trouble);
    const alerts = await monitored.untilPending(trouble.alert);
    expect(alerts).toContainEqual(expect.objectContaining(trouble.alert));
  });

  test('of Temporal is seen', async () => {
    const temporal = monitored.stack.components['temporal'];
    if (temporal === undefined) throw new Error('the stack has no Temporal');
    signalProcess(temporal, 'SIGSTOP');
    try {
      const alert = { alertname: 'MillwrightTemporalDown', cause: 'silent' };
      expect(await monitored.untilPending(alert)).toContainEqual(expect.objectContaining(alert));
    } finally {
      signalProcess(temporal, 'SIGCONT');
    }
  });
});
