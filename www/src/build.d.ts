/** The version and the hash of the contents that the build was made from. */
declare const __BUILD__: string;
