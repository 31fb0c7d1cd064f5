// What the builder of JupyterLab is told beside package.json: what the page and the worker that verifies both need stands
// in one file, which a browser loads once, and not in each of theirs.
const WORKER = "service-nb-verifier";

module.exports = {
  optimization: {
    splitChunks: {
      cacheGroups: {
        card: {
          name: "card",
          filename: "[id].[contenthash].js?v=[contenthash]",
          enforce: true,
          priority: 10,
          test: (module, { chunkGraph }) => {
            const users = chunkGraph.getModuleChunks(module);
            return users.length > 1 && users.some(({ name }) => name === WORKER);
          },
        },
      },
    },
  },
};
