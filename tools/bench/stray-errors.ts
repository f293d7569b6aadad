/**
 * Rejects if an error is not handled while `work` runs: an `error` event without a listener, a rejection without a
 * handler. Otherwise such an error of one case would end the whole command.
 */
export function withStrayErrors<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // An unhandled rejection is raised as an uncaught exception.
    process.on('uncaughtException', reject);
    work()
      .then(resolve, reject)
      .finally(() => process.off('uncaughtException', reject));
  });
}
