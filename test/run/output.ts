/** Names the file descriptor that the reporter of Jest writes to. Default standard output. */
export const outputVariable = 'MILLWRIGHT_TEST_REPORT_FD';
