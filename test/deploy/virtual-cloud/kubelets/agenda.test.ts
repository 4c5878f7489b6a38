import { Agenda } from '../../../../deploy/local/virtual-cloud/kubelets/agenda.ts';
import { eventually } from '../../../support/eventually.ts';

let agenda: Agenda;
let done: string[];
beforeEach(() => {
  agenda = new Agenda();
  done = [];
});
afterEach(() => agenda.close());

const doing = (name: string) => async (): Promise<undefined> => {
  done.push(name);
  return undefined;
};
const untilDone = (count: number): Promise<true> =>
  eventually(`${count} things are done`, async () => done.length >= count);

test('what is due is done at once, the rest when it is due, each once', async () => {
  agenda.plan('later', Date.now() + 300, doing('later'));
  agenda.plan('never', Date.now() + 3_600_000, doing('never'));
  agenda.plan('now', 0, doing('now'));
  expect(done).toEqual(['now']);
  await untilDone(2);
  expect(done).toEqual(['now', 'later']);
});

test('a new plan takes the place of the one before, and what is dropped is not done', async () => {
  agenda.plan('a', Date.now() + 50, doing('before'));
  agenda.plan('a', Date.now() + 50, doing('after'));
  agenda.plan('b', Date.now() + 50, doing('dropped'));
  agenda.drop('b');
  agenda.plan('c', Date.now() + 100, doing('last'));
  await untilDone(2);
  expect(done).toEqual(['after', 'last']);
});

test('what fails is tried again, and what asks for it is done again', async () => {
  const answers = [new Error('no answer'), new Error('no answer'), Date.now(), undefined];
  agenda.plan('a', 0, async () => {
    const answer = answers.shift();
    done.push('try');
    if (answer instanceof Error) throw answer;
    return answer;
  });
  await untilDone(4);
  expect(answers).toEqual([]);
});

test('no more than eight things at a time', async () => {
  const finish: (() => void)[] = [];
  for (let index = 0; index < 20; index += 1) {
    agenda.plan(`${index}`, 0, async () => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return doing('one')();
    });
  }
  expect(finish).toHaveLength(8);
  for (let count = 1; count <= 20; count += 1) {
    finish.shift()?.();
    await untilDone(count);
    expect(finish.length).toBeLessThanOrEqual(8);
  }
});
