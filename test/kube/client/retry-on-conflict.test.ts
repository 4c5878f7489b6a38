import { KubeError } from '../../../kube/client/errors.ts';
import { retryOnConflict } from '../../../kube/client/retry-on-conflict.ts';

const conflict = () =>
  new KubeError({
    code: 409,
    reason: 'Conflict',
    message: 'was changed',
    method: 'PATCH',
    path: '/apis',
  });

const isTypeError = (error: unknown) => error instanceof TypeError;

describe('a write that another client may beat', () => {
  test('is made anew after a conflict, and knows that it has to read', async () => {
    const asked: boolean[] = [];
    const result = await retryOnConflict(async (isAgain) => {
      asked.push(isAgain);
      if (asked.length < 3) throw conflict();
      return 'written';
    });
    expect({ result, asked }).toEqual({ result: 'written', asked: [false, true, true] });
  });

  test.each([
    [undefined, 5],
    [2, 2],
  ])('with tries %s is given up after %i', async (tries, most) => {
    let tried = 0;
    const failing = retryOnConflict<void>(
      async () => {
        tried += 1;
        throw conflict();
      },
      tries === undefined ? {} : { tries },
    );
    await expect(failing).rejects.toThrow('was changed');
    expect(tried).toBe(most);
  });

  test('throws any other failure at once, unless the caller says that it may end', async () => {
    let tried = 0;
    const attempt = async (): Promise<string> => {
      tried += 1;
      if (tried === 1) throw new TypeError('a proxy answered');
      return 'written';
    };
    await expect(retryOnConflict(attempt)).rejects.toThrow('a proxy answered');
    tried = 0;
    await expect(retryOnConflict(attempt, { isAnew: isTypeError })).resolves.toBe('written');
  });
});
