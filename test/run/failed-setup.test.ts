import { failAll, type Block } from './failed-setup.ts';

test('where a beforeAll fails, every test below it fails without running', async () => {
  const fn = jest.fn();
  const tests = [{ fn }, { fn }];
  const inner: Block = { hooks: [{ type: 'beforeAll' }], children: tests.slice(1) };
  const hooks = [{ type: 'beforeEach' }, { type: 'afterAll' }];
  const block: Block = { hooks, children: [...tests.slice(0, 1), inner] };
  failAll(block);
  for (const one of tests)
    await expect(one.fn()).rejects.toThrow('not run, as a beforeAll of it failed');
  expect(fn).not.toHaveBeenCalled();
  expect([block, inner].map((one) => one.hooks)).toEqual([[{ type: 'afterAll' }], []]);
});
