/** A build of the service and its command line. */
interface Build {
  /** Path of its folder. */
  readonly folder: string;
  /** URL of its entry point. */
  readonly program: string;
  /** Whether this call made it. */
  readonly isNew: boolean;
  /** From now on it may be removed. */
  release(): void;
}

/** Finds the build of the present sources, or makes it. It stays until it is released or this process ends. */
export declare function openBuild(): Promise<Build>;
