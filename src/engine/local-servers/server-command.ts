/** Command that starts a server in the foreground. Its process becomes the server: its pid is the server's. */
export interface ServerCommand {
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}
