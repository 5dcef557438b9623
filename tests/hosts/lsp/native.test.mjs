// The conversations of server.test.mjs with the native program.
process.env.CLAIMKIT_SERVER = "native";
await import("./server.test.mjs");
