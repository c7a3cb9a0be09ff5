// Starts `assay sim` on a free port for the tests of this folder, and ends it.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const binary =
  process.env.ASSAY_BINARY ?? fileURLToPath(new URL("../../build/assay", import.meta.url));

// Resolves with {url, stats, reset, stop} once the program says where it listens.
export function startSim(...flags) {
  const child = spawn(binary, ["sim", "--port", "0", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`no "listening on" within 10 s; stderr: ${errors}`));
    }, 10_000);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`ended with ${code}; stderr: ${errors}`)));
    child.stdout.on("data", (data) => {
      output += data;
      const found = /listening on (http:\/\/[^\s]+)/.exec(output);
      if (!found) return;
      clearTimeout(timer);
      child.removeAllListeners("exit");
      const url = found[1];
      resolve({
        url,
        stats: async () => (await fetch(`${url}/sim/stats`)).json(),
        reset: async () => (await fetch(`${url}/sim/reset`, { method: "POST" })).json(),
        stop: () =>
          new Promise((done) => {
            child.on("exit", done);
            child.kill("SIGTERM");
          }),
      });
    });
  });
}
