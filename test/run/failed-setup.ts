/** jest-light-runner runs the tests of a block although its `beforeAll` failed. */
import { getState } from 'jest-circus';

/** Of jest-circus, as far as it is of use here. */
export interface Block {
  hooks: { type: string }[];
  children: (Block | { fn?: unknown })[];
}

/** What a failed `beforeAll` was to prepare is not there, and each test would wait for it. */
export function endBlocksWithFailedSetup(): void {
  const { beforeAll } = globalThis;
  globalThis.beforeAll = (prepare) => {
    const block = getState().currentDescribeBlock;
    beforeAll(async () => {
      try {
        await Reflect.apply(prepare, undefined, []);
      } catch (error) {
        failAll(block);
        throw error;
      }
    });
  };
}

/** All tests in it fail, none runs, and what is to be cleaned up is. */
export function failAll(block: Block): void {
  block.hooks = block.hooks.filter(({ type }) => type === 'afterAll');
  for (const child of block.children) {
    if ('hooks' in child) failAll(child);
    else child.fn = () => Promise.reject(new Error('not run, as a beforeAll of it failed'));
  }
}
