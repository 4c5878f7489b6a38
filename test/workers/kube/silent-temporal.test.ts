import { connectTo } from '../../../workers/kube/clients.ts';
import { startSilentTemporal } from '../../support/silent-temporal.ts';

test('a call without a deadline of its own ends, though Temporal answers nothing', async () => {
  const temporal = await startSilentTemporal();
  const settings = { connection: { address: temporal.address } };
  const connection = await connectTo(settings, { callMs: 200 });
  try {
    const namespace = 'default';
    const counting = connection.workflowService.countWorkflowExecutions({ namespace });
    await expect(counting).rejects.toThrow('DEADLINE_EXCEEDED');
    const own = connection.withDeadline(Date.now() + 100, () =>
      connection.workflowService.countWorkflowExecutions({ namespace }),
    );
    await expect(own).rejects.toThrow('DEADLINE_EXCEEDED');
  } finally {
    await connection.close();
    await temporal.close();
  }
});
