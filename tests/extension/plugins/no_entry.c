/* A shared object that is no plug-in. */
const int something = 1;
