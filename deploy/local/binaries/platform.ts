/** Operating system and processor in Go's words. */
export interface Platform {
  os: 'linux' | 'darwin';
  arch: 'amd64' | 'arm64';
}

export function currentPlatform(): Platform {
  const { platform, arch } = process;
  if (platform !== 'linux' && platform !== 'darwin') {
    throw new Error(
      `The local stack runs on Linux and macOS, not on ${platform} (WSL counts as Linux)`,
    );
  }
  if (arch !== 'x64' && arch !== 'arm64') {
    throw new Error(`The local stack runs on x64 and arm64 processors, not on ${arch}`);
  }
  return { os: platform, arch: arch === 'x64' ? 'amd64' : 'arm64' };
}
