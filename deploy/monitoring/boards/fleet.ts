import { ofDeployment, ofInstall, ofNamespace, quantiles, type Board } from '../panel.ts';
import {
  creationToRunning,
  deletion,
  machinesByPhase,
  machinesWithoutInstance,
} from '../shared-panels.ts';

const yesNo = { 0: 'no', 1: 'yes' };

export const fleet: Board = {
  name: 'fleet',
  title: 'Millwright fleet',
  description: 'Machines, what is wrong with them, and how long they take.',
  variables: ['install', 'namespace', 'deployment'],
  temporalQuery: 'WorkflowType="machine" AND ExecutionStatus="Running" AND Attention="person"',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Machines',
          description: 'All Machines, whatever their phase.',
          kind: 'stat',
          query: `sum(millwright_machines{${ofDeployment}})`,
          legend: 'machines',
        },
        {
          title: 'Running',
          description: 'Machines whose Node is ready and healthy.',
          kind: 'stat',
          query: `sum(millwright_machines{${ofDeployment}, phase="Running"}) or vector(0)`,
          legend: 'running',
        },
        {
          title: 'In trouble',
          description:
            'Machines that are Unknown, Failed or in CrashLoopBackOff. "millwright stuck" names them and says why.',
          kind: 'stat',
          limits: { orange: 1, red: 5 },
          runbook: 'unhealthy-node',
          query: `sum(millwright_machines{${ofDeployment}, phase=~"Unknown|Failed|CrashLoopBackOff"}) or vector(0)`,
          legend: 'in trouble',
        },
        {
          title: 'Firing alerts',
          description: 'Alerts of Millwright that fire, of all installs.',
          kind: 'stat',
          limits: { red: 1 },
          query: 'count(ALERTS{alertname=~"Millwright.*", alertstate="firing"}) or vector(0)',
          legend: 'alerts',
        },
        {
          title: 'Stopped',
          description: 'Whether a stop keeps everything from being created or deleted.',
          kind: 'stat',
          limits: { orange: 1 },
          words: yesNo,
          runbook: 'stop-left-on',
          query: `max(millwright_stopped{${ofNamespace}})`,
          legend: 'stopped',
        },
        {
          title: 'Frozen',
          description: 'Whether machines are frozen, because an API server is out of reach.',
          kind: 'stat',
          limits: { red: 1 },
          words: yesNo,
          runbook: 'api-server-down',
          query: `max(millwright_frozen{${ofNamespace}})`,
          legend: 'frozen',
        },
      ],
    },
    {
      title: 'Machines',
      panels: [
        machinesByPhase,
        {
          title: 'Machines by MachineDeployment',
          description: 'Without a MachineDeployment: the empty name.',
          kind: 'stack',
          query: `sum by (kube_namespace, machine_deployment) (millwright_machines{${ofDeployment}})`,
          legend: '{{kube_namespace}}/{{machine_deployment}}',
        },
        machinesWithoutInstance,
        {
          title: 'Machines that do not join',
          description:
            'Machines with an instance, which have been Pending for half of their creation timeout.',
          kind: 'stack',
          limits: { orange: 1 },
          runbook: 'never-joins',
          isOftenEmpty: true,
          query: `sum by (machine_deployment) (millwright_machines_not_joined{${ofDeployment}})`,
        },
        {
          title: 'Frozen MachineSets',
          description: 'MachineSets that have far more machines than they should, and make none.',
          limits: { orange: 1 },
          runbook: 'frozen-set',
          isOftenEmpty: true,
          query: `sum by (kube_namespace) (millwright_machine_sets_frozen{${ofNamespace}})`,
        },
        {
          title: 'Orphans and lost instances',
          description:
            'Of the last search: instances without a Machine, Machines whose instance is gone, and Nodes that no Machine knows.',
          limits: { orange: 1 },
          runbook: 'orphan',
          isOftenEmpty: true,
          queries: [
            {
              expr: `max by (kube_namespace) (millwright_safety_orphans_suspected{${ofNamespace}})`,
              legend: '{{kube_namespace}} without a Machine',
            },
            {
              expr: `max by (kube_namespace) (millwright_safety_instances_missing{${ofNamespace}})`,
              legend: '{{kube_namespace}} without an instance',
            },
            {
              expr: `max by (kube_namespace) (millwright_safety_unmanaged_nodes{${ofNamespace}})`,
              legend: '{{kube_namespace}} Nodes',
            },
          ],
        },
      ],
    },
    {
      title: 'How long machines took, of the last hour',
      panels: [
        creationToRunning,
        {
          title: 'Until the instance is there',
          description: 'From the creation of the Machine until the cloud has named its instance.',
          unit: 's',
          queries: quantiles(
            'millwright_machine_launch_seconds',
            ofDeployment,
            'machine_deployment',
          ),
        },
        {
          title: 'From there to Running',
          description: 'Boot, and the way of the Node into the cluster.',
          unit: 's',
          runbook: 'never-joins',
          queries: quantiles('millwright_machine_join_seconds', ofDeployment, 'machine_deployment'),
        },
        deletion,
        {
          title: 'Steps that workflows decided on',
          description: 'What Millwright does at the moment, by kind and action.',
          kind: 'stack',
          unit: 'ops',
          query: `sum by (kind, action) (rate(millwright_decisions_total{${ofInstall}}[$__rate_interval]))`,
        },
      ],
    },
  ],
};
