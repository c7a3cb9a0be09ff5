// A style as text: build.mjs makes it hold for a report's cases alone.
declare module '*.css' {
  const text: string;
  export default text;
}
