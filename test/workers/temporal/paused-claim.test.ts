/** A person may pause any workflow in the Temporal UI. */
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import Long from 'long';
import { claimHolder } from '../../../workers/temporal/claims.ts';
import { startFakeTemporal } from './fake-temporal.ts';

const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1;
const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

test.each([
  { status: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING, holder: 'first' },
  { status: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED, holder: 'first' },
  { status: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED, holder: undefined },
])('a claim whose workflow has the status $status is held by $holder', async (expected) => {
  const workflowExecutionInfo = {
    execution: { workflowId: 'claim/ids', runId: 'run' },
    type: { name: 'claim' },
    startTime: { seconds: Long.ONE },
    status: expected.status,
    memo: { fields: { holder: defaultPayloadConverter.toPayload('first') } },
  };
  const temporal = await startFakeTemporal(({ method }) =>
    method === 'DescribeWorkflowExecution'
      ? DescribeWorkflowExecutionResponse.encode({ workflowExecutionInfo }).finish()
      : undefined,
  );
  const connection = await Connection.connect({ address: temporal.address });
  try {
    expect(await claimHolder(new Client({ connection }), 'claim/ids')).toBe(expected.holder);
  } finally {
    await connection.close();
    await temporal.close();
  }
});
