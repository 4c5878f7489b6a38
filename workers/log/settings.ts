export interface LogSettings {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  format: 'auto' | 'json' | 'text' | 'klog';
}
