import { ofInstall, ofNamespace, risen, type Board } from '../panel.ts';
import { machinesWithoutInstance } from '../shared-panels.ts';

export const clouds: Board = {
  name: 'clouds',
  title: 'Millwright clouds',
  description: 'Calls of the drivers: how many, how long they take, and what the clouds refuse.',
  variables: ['install', 'namespace'],
  temporalQuery:
    'WorkflowType="machine" AND ExecutionStatus="Running" AND State="CrashLoopBackOff"',
  rows: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Calls of drivers',
          description: 'Per second, by provider and operation, however they ended.',
          kind: 'stack',
          unit: 'ops',
          query: `sum by (provider, operation) (rate(millwright_driver_calls_total{${ofInstall}}[$__rate_interval]))`,
        },
        {
          title: 'Calls that failed',
          description:
            'Per second, by code. Unauthenticated: the credentials. ResourceExhausted: quota or capacity.',
          kind: 'stack',
          unit: 'ops',
          runbook: 'credentials',
          isOftenEmpty: true,
          query: `sum by (provider, code) (rate(millwright_driver_calls_total{${ofInstall}, code!="OK"}[$__rate_interval]))`,
        },
        {
          title: 'Share of calls that failed',
          description: 'Of the last ten minutes, by provider.',
          unit: 'percentunit',
          limits: { orange: 0.05, red: 0.5 },
          isOftenEmpty: true,
          query: `sum by (provider) (rate(millwright_driver_calls_total{${ofInstall}, code!="OK"}[10m])) / sum by (provider) (rate(millwright_driver_calls_total{${ofInstall}}[10m]))`,
        },
        {
          title: 'Duration of calls',
          description: 'Below which 95 of 100 calls of the last ten minutes were.',
          unit: 's',
          query: `histogram_quantile(0.95, sum by (le, provider, operation) (rate(millwright_driver_call_duration_seconds_bucket{${ofInstall}}[10m])))`,
        },
        {
          title: 'Throttled and held back',
          description:
            'Calls per second that the cloud refused because there were too many, and calls that Millwright delayed for that reason.',
          unit: 'ops',
          limits: { orange: 0.1 },
          runbook: 'quota',
          isOftenEmpty: true,
          queries: [
            {
              expr: `sum by (provider) (rate(millwright_driver_throttled_total{${ofInstall}}[$__rate_interval]))`,
              legend: '{{provider}} throttled',
            },
            {
              expr: `sum by (provider) (rate(millwright_driver_held_back_total{${ofInstall}}[$__rate_interval]))`,
              legend: '{{provider}} held back',
            },
          ],
        },
        {
          title: 'Attempts that took longer than their limit',
          description:
            'Per second, by activity. Of a driver: the cloud hangs, or the limit is too short for it.',
          kind: 'stack',
          unit: 'ops',
          isOftenEmpty: true,
          query: `sum by (activity) (rate(millwright_activities_timed_out_total{${ofInstall}}[$__rate_interval]))`,
        },
      ],
    },
    {
      title: 'What comes of it',
      panels: [
        machinesWithoutInstance,
        {
          title: 'Queues of drivers without a worker',
          description: 'For how long. The worker with this driver does not run.',
          unit: 's',
          limits: { red: 120 },
          runbook: 'worker-down',
          query: `max by (queue) (millwright_queue_unserved_seconds{${ofNamespace}, queue=~".*/driver/.*"})`,
        },
        {
          title: 'Orphans that were deleted',
          description: 'Instances without a Machine that the search deleted, per hour.',
          runbook: 'orphan',
          isOftenEmpty: true,
          query: `sum by (kube_namespace) (${risen('millwright_safety_orphans_deleted_total', ofNamespace, '1h')})`,
        },
      ],
    },
  ],
};
