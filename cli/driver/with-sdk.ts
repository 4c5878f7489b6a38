/** Commands that run workflows: they need native code of the SDK, which the package leaves out. */
import { temporalSdkVersion } from '../../workers/config/version.ts';

/** Throws with what to install when the package runs without it. */
export async function withSdk<Loaded>(
  command: string,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (Object(error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = `@temporalio/worker@${temporalSdkVersion}`;
    throw new Error(
      `"${command}" needs the worker of Temporal beside this package: npm install ${packages}`,
      { cause: error },
    );
  }
}
