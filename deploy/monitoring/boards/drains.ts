import { ofDeployment, ofInstall, ofNamespace, quantiles, risen, type Board } from '../panel.ts';
import { deletion } from '../shared-panels.ts';

const ofDrainQueue = `${ofInstall}, task_queue=~".*/drain"`;

export const drains: Board = {
  name: 'drains',
  title: 'Millwright drains',
  description:
    'Drains that are blocked and by what, how long drains take, and whether the workers keep up.',
  variables: ['install', 'namespace', 'deployment'],
  temporalQuery: 'ExecutionStatus="Running" AND State="DrainBlocked"',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Blocked',
          description:
            'Machines whose drain is blocked. "millwright stuck" names what blocks each.',
          kind: 'stat',
          limits: { orange: 1, red: 10 },
          runbook: 'drain-budget',
          query: `sum(millwright_drains_blocked{${ofNamespace}}) or vector(0)`,
          legend: 'blocked',
        },
        {
          title: 'Terminating',
          description: 'Machines that are being deleted.',
          kind: 'stat',
          query: `sum(millwright_machines{${ofDeployment}, phase="Terminating"}) or vector(0)`,
          legend: 'terminating',
        },
        {
          title: 'Drains by force in the last hour',
          description:
            'Drains that asked no budget: their time was over, or a person or a dead Node wanted it.',
          kind: 'stat',
          limits: { orange: 1 },
          runbook: 'drain-budget',
          queries: [
            {
              expr: `sum(${risen('millwright_drain_duration_seconds_count', `${ofNamespace}, result="forced"`, '1h')}) or vector(0)`,
              legend: 'by force',
            },
          ],
        },
      ],
    },
    {
      title: 'Drains',
      panels: [
        {
          title: 'Blocked drains by what blocks them',
          description: 'A budget, a volume, a pod that does not terminate, or a pass that fails.',
          kind: 'stack',
          limits: { orange: 1 },
          runbook: 'drain-budget',
          isOftenEmpty: true,
          query: `sum by (by) (millwright_drains_blocked{${ofNamespace}})`,
        },
        {
          title: 'Duration of drains, of the last hour',
          description: 'From the deletion of the Machine until its pods have left.',
          unit: 's',
          isOftenEmpty: true,
          queries: quantiles('millwright_drain_duration_seconds', ofNamespace, 'result'),
        },
        {
          title: 'Drains that ended',
          description: 'Per second, by result.',
          kind: 'stack',
          unit: 'ops',
          isOftenEmpty: true,
          query: `sum by (result) (rate(millwright_drain_duration_seconds_count{${ofNamespace}}[$__rate_interval]))`,
        },
        deletion,
        {
          title: 'Drains under way on the workers',
          description:
            'Each takes a slot of its worker, also while it is blocked and waits for its next attempt or a change.',
          kind: 'stack',
          query: `sum by (pod) (temporal_worker_task_slots_used{${ofDrainQueue}, worker_type="ActivityWorker"})`,
        },
        {
          title: 'Free slots for drains',
          description:
            'At 0, further drains wait: add a worker for them, or raise the limit of its flag.',
          runbook: 'worker-down',
          query: `sum by (pod) (temporal_worker_task_slots_available{${ofDrainQueue}, worker_type="ActivityWorker"})`,
        },
      ],
    },
  ],
};
