/** A run whose output is read no more cleans up all the same. */
import { EventEmitter } from 'node:events';
import { endWithOutput } from '../../../cli/command-line/closed-output.ts';
import { verifyWith } from '../../../cli/driver/verify.ts';
import type { Question } from '../../../cli/driver/conformance/workflow.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const answers: Partial<Record<Question['activity'], unknown>> = {
  validateClass: { outcome: 'validated', faults: [] },
  deleteInstance: { outcome: 'deleted', isFound: false, settleSeconds: 0 },
  listInstances: { outcome: 'listed', instances: [] },
};

test.each(['EPIPE', 'EIO'])(
  'after %s of stdout nothing is asked but the deletions',
  async (code) => {
    jest.spyOn(console, 'log').mockReturnValue();
    const output = new EventEmitter();
    const end = jest.fn<void, []>();
    endWithOutput(output, end);
    const activities: string[] = [];
    const asker = {
      rest: async () => undefined,
      isServed: async () => true,
      ask: async ({ activity }: Question) => {
        activities.push(activity);
        output.emit('error', Object.assign(new Error('closed'), { code }));
        return { came: 'answer', answer: answers[activity] } as const;
      },
    };
    const place = { kube: new InMemoryClient(aMachineClass()), namespace };
    const subject = { machineClass: aMachineClass(), secret: {}, secretFaults: [] };
    const asked = { provider: 'virtual', queue: 'q', clusterId: 'c', badSpecs: [] };
    const report = await verifyWith(asker, {
      scope: place,
      options: asked,
      subject,
      run: 'verify-1',
    });
    expect(end).not.toHaveBeenCalled();
    expect(activities).toEqual([
      'validateClass',
      'deleteInstance',
      'listInstances',
      'listInstances',
    ]);
    expect(report.isPassed).toBe(false);
    jest.restoreAllMocks();
  },
);
