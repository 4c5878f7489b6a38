import { auditLine } from '../../../workers/log/audit-line.ts';

test('a line has the object, the run and what is known of the request; audit says who', () => {
  const entry = {
    verb: 'createInstance',
    object: 'Machine shoot/pool-a',
    uid: 'u',
    providerID: 'aws:///eu/i-1',
    provider: 'AWS',
    requestId: 'r',
    durationMs: 7,
    workflowId: 'machine/shoot/pool-a',
    runId: 'run',
  };
  const { providerID, provider, requestId, durationMs, workflowId, runId } = entry;
  expect(auditLine(entry)).toEqual([
    {
      machine: 'shoot/pool-a',
      providerID,
      provider,
      requestId,
      durationMs,
      workflowId,
      runId,
      audit: {
        verb: 'createInstance',
        object: 'Machine shoot/pool-a',
        uid: 'u',
        providerID,
        workflowId,
        runId,
      },
    },
    'createInstance Machine shoot/pool-a',
  ]);
});

test('a command says what it came by', () => {
  const entry = { verb: 'pause', object: 'MachineDeployment shoot/pool', through: 'Temporal' };
  expect(auditLine({ ...entry, by: 'me' })).toEqual([
    { machineDeployment: 'shoot/pool', audit: { ...entry, by: 'me' } },
    'pause MachineDeployment shoot/pool',
  ]);
});
