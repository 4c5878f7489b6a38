/** Takes away whatever a run has made, also one that was broken off. */
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { customResource, node } from '../../../kube/client/paths.ts';
import type { Check } from './checks/check.ts';
import { listOf } from './checks/listing.ts';
import type { Trial } from './trial.ts';
import { Mismatch } from './verdict.ts';

export const cleanUp: Check = {
  says: 'cleans up: instances, Nodes and classes of this run are gone',
  async run(trial) {
    const problems = [
      ...(await attempt(() => deleteInstances(trial))),
      ...(await attempt(() => deleteListed(trial))),
      ...(await attempt(() => deleteNodes(trial))),
      ...(await attempt(() => deleteClasses(trial))),
    ];
    if (problems.length > 0) throw new Mismatch('nothing left', problems.join('; '));
  },
};

/** A deletion that fails does not keep the others from being done. */
async function attempt(step: () => Promise<string[]>): Promise<string[]> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Mismatch) return [`${error.message}, came ${error.came}`];
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The same for each of many, one after the other, with its name before what went wrong. */
async function attemptEach<T>(
  items: Iterable<T>,
  nameOf: (item: T) => string,
  step: (item: T) => Promise<unknown>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const item of items) {
    const found = await attempt(async () => {
      await step(item);
      return [];
    });
    problems.push(...found.map((problem) => `${nameOf(item)}: ${problem}`));
  }
  return problems;
}

/** First by token and name, as one may exist that no answer named. */
async function deleteInstances({ asked, driver, className }: Trial): Promise<string[]> {
  return await attemptEach(
    asked,
    ({ request: { machine } }) => machine.name,
    async ({ request }) => {
      // The class of a wrong spec may keep a driver from deleting; the credentials are the same.
      const deletion = { ...request, className, isRetry: true };
      const came = await driver.ask('deleteInstance', deletion);
      if (came.outcome !== 'deleted') throw new Error(JSON.stringify(came));
    },
  );
}

const idOf = ({ providerID }: { providerID: string }): string => providerID;

async function deleteListed(trial: Trial): Promise<string[]> {
  const { run } = trial.parts;
  const isOurs = ({ machineName }: { machineName: string }) => machineName.startsWith(`${run}-`);
  const listed = (await listOf(trial)).filter(isOurs);
  const problems = await attemptEach(listed, idOf, async ({ providerID }) => {
    await trial.driver.ask('deleteListed', { ...trial.listRequest(), providerID });
  });
  const left = (await listOf(trial)).filter(isOurs).map((one) => `${idOf(one)} is left`);
  return [...problems, ...left];
}

/** Instances of a class with real user data may have joined; their names are of this run only. */
async function deleteNodes({ asked, driver, parts: { kube } }: Trial): Promise<string[]> {
  const created = driver.answers.flatMap(({ answer }) => {
    const { nodeName }: { nodeName?: unknown } = Object(Object(answer).instance);
    return typeof nodeName === 'string' ? [nodeName] : [];
  });
  const names = asked.map(({ request }) => request.machine.name);
  // A driver that is broken may name the Node of another machine.
  const isOurs = (nodeName: string): boolean =>
    names.some((name) => nodeName === name || nodeName.startsWith(`${name}.`));
  const ours = new Set(created.filter(isOurs));
  return await attemptEach(ours, String, async (name) => {
    await ignoreNotFound(kube.delete(node(name)));
  });
}

async function deleteClasses({ classNames, parts: { kube, namespace } }: Trial): Promise<string[]> {
  return await attemptEach(classNames, String, async (name) => {
    await ignoreNotFound(kube.delete(customResource('machineclasses', namespace, name)));
  });
}
