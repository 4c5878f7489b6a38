/** What a run has made goes, also where the driver under test is not in order. */
import { cleanUp } from '../../../cli/driver/conformance/clean-up.ts';
import { DriverUnderTest } from '../../../cli/driver/conformance/driver-under-test.ts';
import { Trial } from '../../../cli/driver/conformance/trial.ts';
import type { Question } from '../../../cli/driver/conformance/workflow.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const left = ['acme:///1', 'acme:///2'].map((providerID, index) => ({
  providerID,
  machineName: `verify-1-${index + 1}`,
}));

/** Of three machines, and two temporary classes. */
async function cleanedUp(answers: Partial<Record<Question['activity'], unknown>>) {
  const asked: string[] = [];
  const asker = {
    rest: async () => undefined,
    ask: async ({ activity, input }: Question) => {
      const { machine, providerID }: { machine?: { name: string }; providerID?: string } =
        Object(input);
      asked.push(`${activity} ${machine?.name ?? providerID ?? ''}`.trim());
      return { came: 'answer', answer: answers[activity] } as const;
    },
  };
  const driver = new DriverUnderTest(asker, { queue: 'queue', cluster: 'c', namespace });
  const kube = new InMemoryClient(
    ...['a', 'b'].map((name) => aMachineClass({ metadata: { name } })),
  );
  kube.fault = ({ method, path }) =>
    method === 'DELETE' && path.endsWith('/a') ? { code: 403, reason: 'Forbidden' } : undefined;
  const about = { run: 'verify-1', namespace, cluster: 'c', secret: {}, badSpecs: [] };
  const trial = new Trial({ ...about, driver, kube, machineClass: aMachineClass() });
  trial.newMachine();
  trial.newMachine();
  trial.classNames.push('a', 'b');
  const error: unknown = await cleanUp.run(trial).catch((reason: unknown) => reason);
  return { asked, kube, came: String(Object(error).came) };
}

test('a deletion that is no proper answer keeps no other from being asked for', async () => {
  const { asked, kube, came } = await cleanedUp({
    deleteInstance: { outcome: 'deleted' },
    listInstances: { outcome: 'listed', instances: left },
    deleteListed: { outcome: 'deleted' },
  });
  expect(asked).toEqual([
    'deleteInstance verify-1-1',
    'deleteInstance verify-1-2',
    'deleteInstance verify-1-3',
    'listInstances',
    'deleteListed acme:///1',
    'deleteListed acme:///2',
    'listInstances',
  ]);
  expect(came).toMatch(/verify-1-1: .*verify-1-2: .*acme:\/\/\/2 is left/s);
  expect(kube.writes()).toContain(`DELETE ${customResource('machineclasses', namespace, 'b')}`);
});
