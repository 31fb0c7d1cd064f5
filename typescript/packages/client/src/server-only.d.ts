declare module "server-only"; // Next.js resolves it: empty on a server, and an error in what a browser gets
