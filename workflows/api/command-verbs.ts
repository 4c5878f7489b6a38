/** What a Machine and a MachineDeployment can be asked for. */
export const machineVerbs = [
  'retryNow',
  'skipDrain',
  'forceDelete',
  'extendDrain',
  'skipVolumeWait',
] as const;

export const rolloutVerbs = ['pause', 'resume', 'rollback', 'setReplicas'] as const;
