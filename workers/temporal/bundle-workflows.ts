/**
 * Bundles the workflow code into a file, so that workers start a second faster:
 * `bundle-workflows.ts FILE`.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type {
  BundleOptions,
  WorkerOptions,
  WorkflowBundleOption,
  WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { bundleWorkflowCode } from '@temporalio/worker';
import { encodesFailures } from '../../workflows/values/encodes-failures.ts';
import { builtBundle } from './built-bundle.ts';

const workflows = (name: string): string =>
  fileURLToPath(new URL(`../../workflows/${name}`, import.meta.url));

const interceptors = ['place', 'trace'].map((what) => workflows(`runtime/${what}-interceptors.ts`));

/**
 * A history that cannot be replayed fails its run instead of stopping it for ever:
 * docs/decisions/0006-broken-histories.md.
 */
export const failingErrors = { '*': ['NondeterminismError'] } satisfies NonNullable<
  WorkerOptions['workflowFailureErrorTypes']
>;

/**
 * The one way to workflow code, for processes and tests: bundled by us, because the SDK's own
 * bundling leaves out the payload converter, without which one signal that cannot be decoded stops
 * a workflow.
 */
export async function bundleWorkflows({
  workflowsPath = workflows('index.ts'),
  ...more
}: Pick<BundleOptions, 'logger' | 'workflowInterceptorModules'> & {
  workflowsPath?: string;
} = {}): Promise<WorkflowBundleWithSourceMap> {
  const { code, ...bundle } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath: workflows('runtime/payload-converter.ts'),
    failureConverterPath: workflows('runtime/failure-converter.ts'),
    workflowInterceptorModules: interceptors,
    // Loaded once for all workflows instead of once for each: no module of theirs holds state.
    preloadModules: [workflows('runtime/stack-depth.ts'), workflowsPath, ...interceptors],
    ...more,
  });
  return { ...bundle, code: inOneByte(code) };
}

/**
 * V8 keeps a text in two bytes for each character when one of them is not in Latin-1, such as a
 * dash in a comment. An escape means the same in a comment, a name, a string and an expression,
 * unless a backslash stands before it already.
 */
function inOneByte(code: string): string {
  if (/\\[^\0-\u007f]/.test(code)) return code;
  return code.replaceAll(
    /[^\0-\u007f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @param file Code that was bundled before. Without one and without a build it is bundled now,
 *   which takes a second.
 */
export async function workflowBundleOf(file: string | undefined): Promise<WorkflowBundleOption> {
  if (file !== undefined) return { codePath: file };
  return builtBundle('workflow-bundle.js') ?? (await bundleWorkflows());
}

/**
 * The same code, whose workflows put messages of failures into a payload. The global stands on the
 * first line of the code, so that the lines of its source map stay.
 */
export async function encodingFailures(bundle: WorkflowBundleOption): Promise<{ code: string }> {
  const code = 'codePath' in bundle ? await readFile(bundle.codePath, 'utf8') : bundle.code;
  return { code: `globalThis.${encodesFailures} = true; ${code}` };
}

/** Written whole or not at all. */
async function writeBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflows();
  await writeFile(`${file}.new`, code);
  await rename(`${file}.new`, file);
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    console.error('Usage: bundle-workflows.ts FILE');
    process.exit(2);
  }
  await writeBundle(file);
}
