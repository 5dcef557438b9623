/** What the build was made from: the version and the contents' hash. */
declare const __BUILD__: string;
