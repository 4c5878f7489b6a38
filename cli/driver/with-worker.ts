/** `driver verify` runs workflows, which needs a package with native code that ours leaves out. */
import { temporalSdkVersion } from '../../workers/config/version.ts';

/** Throws with what to install when it is not there. */
export async function withWorker<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (Object(error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = `@temporalio/worker@${temporalSdkVersion}`;
    throw new Error(
      `"driver verify" needs the worker of Temporal beside this package: npm install ${packages}`,
      { cause: error },
    );
  }
}
