/* A shared object that is not a plug-in. */
const int something = 1;
