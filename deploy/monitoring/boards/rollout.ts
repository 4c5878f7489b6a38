import { ofDeployment, ofInstall, type Board } from '../panel.ts';
import { creationToRunning, deletion, machinesByPhase } from '../shared-panels.ts';

/** Series of MCM's names: the object is in `name`, and Prometheus renames their own `namespace`. */
const ofMcmDeployment = `${ofInstall}, exported_namespace=~"$namespace", name=~"$deployment"`;

function replicas(what: string): { expr: string; legend: string } {
  return {
    expr: `sum by (exported_namespace, name) (mcm_machine_deployment_status_${what}_replicas{${ofMcmDeployment}})`,
    legend: '{{exported_namespace}}/{{name}}',
  };
}

export const rollout: Board = {
  name: 'rollout',
  title: 'Millwright rollouts',
  description: 'How far rollouts are, what holds them up, and how long their machines take.',
  variables: ['install', 'namespace', 'deployment'],
  temporalQuery:
    'WorkflowType="machineDeployment" AND ExecutionStatus="Running" AND State!="Complete"',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Complete',
          description: 'MachineDeployments whose machines are all of the newest template.',
          kind: 'stat',
          queries: [stateCount('complete')],
        },
        {
          title: 'Progressing',
          description: 'Rollouts that go on.',
          kind: 'stat',
          queries: [stateCount('progressing')],
        },
        {
          title: 'Paused',
          description: 'MachineDeployments that a person has paused.',
          kind: 'stat',
          limits: { orange: 1 },
          queries: [stateCount('paused')],
        },
        {
          title: 'Blocked',
          description: 'Rollouts past their progressDeadlineSeconds.',
          kind: 'stat',
          limits: { red: 1 },
          runbook: 'rollout-blocked',
          queries: [stateCount('blocked')],
        },
      ],
    },
    {
      title: 'Replicas',
      panels: [
        {
          title: 'Updated',
          description: 'Machines of the newest template. A rollout is at its end when all are.',
          queries: [replicas('updated')],
        },
        {
          title: 'Available',
          description: 'Machines that have been ready for minReadySeconds.',
          queries: [replicas('available')],
        },
        {
          title: 'Unavailable',
          description:
            'What is missing for the replicas that are wanted. More than maxUnavailable: machines fail.',
          limits: { orange: 1 },
          runbook: 'rollout-blocked',
          queries: [replicas('unavailable')],
        },
        {
          title: 'Rollouts by state',
          description: 'Blocked or paused for long: a decision of yours is due.',
          kind: 'stack',
          query: `sum by (state) (millwright_rollouts{${ofDeployment}})`,
        },
        machinesByPhase,
        {
          title: 'Updates in place',
          description:
            'Machines by where their update is. Those that failed are replaced, or wait for you.',
          kind: 'stack',
          runbook: 'update-failed',
          isOftenEmpty: true,
          query: `sum by (phase) (millwright_machines{${ofDeployment}, phase=~"InPlace.*"})`,
        },
        {
          title: 'Steps of MachineDeployments and MachineSets',
          description:
            'What their workflows decide on. No step while a rollout is open: something is awaited.',
          kind: 'stack',
          unit: 'ops',
          query: `sum by (kind, action) (rate(millwright_decisions_total{${ofInstall}, kind=~"machineSet|machineDeployment"}[$__rate_interval]))`,
        },
      ],
    },
    {
      title: 'DisruptionPolicies',
      panels: [
        {
          title: 'Open',
          description: '1: windows and exclusions let machines go. 0: what they select waits.',
          isOftenEmpty: true,
          queries: [ofPolicy('open')],
        },
        {
          title: 'On their way',
          description: 'Machines of all that a policy selects that go, or that are Failed.',
          isOftenEmpty: true,
          queries: [ofPolicy('going')],
        },
        {
          title: 'Waiting',
          description:
            'Machines that are to go and may not yet. Many while the policy is open: few may go at a time.',
          runbook: 'policy-invalid',
          isOftenEmpty: true,
          queries: [ofPolicy('waiting')],
        },
        {
          title: 'Taken, by reason',
          description: 'Machines that were taken as a policy allowed.',
          kind: 'stack',
          unit: 'ops',
          isOftenEmpty: true,
          query: `sum by (reason) (rate(millwright_disruptions_total{${ofInstall}, kube_namespace=~"$namespace"}[$__rate_interval]))`,
        },
      ],
    },
    {
      title: 'How long machines took, of the last hour',
      panels: [creationToRunning, deletion],
    },
  ],
};

function ofPolicy(what: string): { expr: string; legend: string } {
  return {
    expr: `max by (kube_namespace, policy) (millwright_disruption_policy_${what}{${ofInstall}, kube_namespace=~"$namespace"})`,
    legend: '{{kube_namespace}}/{{policy}}',
  };
}

function stateCount(state: string): { expr: string; legend: string } {
  return {
    expr: `sum(millwright_rollouts{${ofDeployment}, state="${state}"}) or vector(0)`,
    legend: state,
  };
}
