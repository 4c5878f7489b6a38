import manifest from '../../package.json' with { type: 'json' };

/** Of this package. */
export const version = manifest.version;
/** Of Temporal's SDK, which this package is tested with. */
export const temporalSdkVersion = manifest.dependencies['@temporalio/worker'];
