/** What a machine gets, before cloud-init or Ignition carries it. */

export interface MachineFile {
  path: string;
  /** Octal digits, such as `0644`. */
  permissions: string;
  content: string;
}

export interface MachineUnit {
  name: string;
  content?: string;
  isEnabled: boolean;
  isMasked?: boolean;
  dropIns?: readonly { name: string; content: string }[];
}

/** A program that a machine fetches, for one architecture. */
export interface Download {
  /** `kubelet`, `containerd`, `runc`, `cni-plugins`, `crictl`. */
  name: string;
  version: string;
  architecture: 'amd64' | 'arm64';
  url: string;
  sha256: string;
}

export interface MachineDocument {
  hostname?: string;
  files: readonly MachineFile[];
  units: readonly MachineUnit[];
  ssh?: { user?: string; authorizedKeys: readonly string[] };
  ntpServers?: readonly string[];
}
