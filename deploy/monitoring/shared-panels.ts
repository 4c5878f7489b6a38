/** Panels that several dashboards have, so that each says the same wherever it is. */
import { ofDeployment, ofNamespace, quantiles, type Panel } from './panel.ts';

export const machinesByPhase: Panel = {
  title: 'Machines by phase',
  description:
    'A rollout makes Pending and Terminating ones in turn. Pending for long: instances do not join. Terminating for long: drains are blocked.',
  kind: 'stack',
  query: `sum by (phase) (millwright_machines{${ofDeployment}})`,
};

export const machinesWithoutInstance: Panel = {
  title: 'Machines that get no instance',
  description: 'Machines whose last creation failed and is tried again, by code of the error.',
  kind: 'stack',
  limits: { orange: 1 },
  runbook: 'quota',
  isOftenEmpty: true,
  query: `sum by (code) (millwright_creations_failing{${ofNamespace}})`,
};

export const creationToRunning: Panel = {
  title: 'From creation to Running',
  description:
    'Of the last hour: the time of one new machine, which a person, an autoscaler or a rollout waits for.',
  unit: 's',
  runbook: 'never-joins',
  queries: quantiles('millwright_machine_running_seconds', ofDeployment, 'machine_deployment'),
};

export const deletion: Panel = {
  title: 'Deletion',
  description:
    'Of the last hour: from the deletion of the Machine until it is gone, with its drain.',
  unit: 's',
  runbook: 'drain-budget',
  isOftenEmpty: true,
  queries: quantiles('millwright_machine_deletion_seconds', ofDeployment, 'machine_deployment'),
};
