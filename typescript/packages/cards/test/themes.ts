/** What tokens stand on: the variables of JupyterLab 4.6's own themes, and of a page that has none. */
export const THEMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a page without a theme": {},
  light: {
    "--jp-layout-color1": "#ffffff",
    "--jp-layout-color2": "#eeeeee",
    "--jp-content-font-color1": "rgba(0,0,0,.87)",
    "--jp-brand-color1": "#1976d2",
  },
  dark: {
    "--jp-layout-color1": "#212121",
    "--jp-layout-color2": "#424242",
    "--jp-content-font-color1": "#ffffff",
    "--jp-focus-outline-color": "#38a0f5",
  },
  "dark, high contrast": {
    "--jp-layout-color1": "#111111",
    "--jp-layout-color2": "#424242",
    "--jp-content-font-color1": "#ffffff",
    "--jp-focus-outline-color": "#2796f1",
  },
};
